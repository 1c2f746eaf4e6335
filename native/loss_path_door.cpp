// How Python holds a path of a smooth loss: one type, whatever the data are; it keeps their arrays alive.
#include "loss_path_door.hpp"

#include <nanobind/stl/unique_ptr.h>

#include <functional>
#include <memory>

#include "data_door.hpp"
#include "loss_path.hpp"
#include "sparse_loss_path.hpp"

namespace greedyhull {

class LossTrail {
   public:
    virtual ~LossTrail() = default;
    virtual nb::tuple to(double r, double gap, Index rounds, nb::callable asked) = 0;
    virtual nb::tuple walk(Vector<const double> radii, double gap, Index rounds, Table2<double> W, nb::callable asked) = 0;
};

template <class Path>
class LossTrailOf : public LossTrail {
   public:
    template <class... About>
    LossTrailOf(nb::list alive, About&&... about) : alive_(std::move(alive)), path_(std::forward<About>(about)...) {}

    nb::tuple to(double r, double gap, Index rounds, nb::callable asked) override {
        expect(r > 0.0 && gap >= 0.0 && rounds >= 0, "to: a positive radius, a gap and a number of rounds are wanted");
        LossStage s;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            s = path_.to(r, gap, rounds, std::ref(ask));
        }
        return nb::make_tuple(s.value, s.gap, s.price);
    }

    // Row k of W: the point for the k-th of growing radii. Returns the gaps and the intercepts.
    nb::tuple walk(Vector<const double> radii, double gap, Index rounds, Table2<double> W, nb::callable asked) override {
        const Matrix<double> out = matrix(W);
        expect(out.rows == static_cast<Index>(radii.shape(0)) && out.columns == path_.size(), "walk: a row for each radius is wanted");
        expect(gap >= 0.0 && rounds >= 0, "walk: a gap and a number of rounds are wanted");
        for (Index k = 0; k < out.rows; k++) expect(span(radii)[k] > 0.0, "walk: positive radii are wanted");
        std::vector<double> gaps, intercepts;
        {
            nb::gil_scoped_release free;
            Asking ask(asked);
            for (Index k = 0; k < out.rows; k++) {
                gaps.push_back(path_.to(span(radii)[k], gap, rounds, std::ref(ask)).gap), intercepts.push_back(path_.intercept());
                std::fill(out.row(k), out.row(k) + out.columns, 0.0);
                path_.each([&](Index j, double x) { out(k, j) = x; });
            }
        }
        return nb::make_tuple(as_array(gaps), as_array(intercepts));
    }

   private:
    nb::list alive_;  // the arrays that pointers lead to
    Path path_;
};

template <class Path, class D, class... Ways>
std::unique_ptr<LossTrail> trail_on(D X, nb::tuple loss, bool intercept, bool positive, Vector<const double> units, nb::list alive,
                                    Ways... ways) {
    expect(static_cast<Index>(units.shape(0)) == X.d, "one scale a column is wanted");
    auto known = named_loss(loss, X.n, intercept, alive);
    alive.append(nb::cast(units));
    return std::make_unique<LossTrailOf<Path>>(alive, X, std::move(known), positive, span(units), ways...);
}

template <class T>
std::unique_ptr<LossTrail> dense_loss_path(nb::ndarray<const T, nb::ndim<2>, nb::device::cpu> X, nb::tuple loss, bool intercept,
                                           bool positive, Vector<const double> units, Index batch, Index steps) {
    nb::list alive;
    return trail_on<LossPath<Dense<T>>>(dense_design(X, alive), loss, intercept, positive, units, alive, batch, steps);
}

// With `descends`, coordinate descent goes first.
template <class T, class I>
std::unique_ptr<LossTrail> sparse_loss_path(Vector<const Index> starts, Vector<const I> places, Vector<const T> entries, Index n,
                                            nb::tuple loss, bool intercept, bool positive, Vector<const double> units, Index batch,
                                            Index steps, bool descends) {
    nb::list alive;
    return trail_on<SparseLossPath<T, I>>(sparse_design(starts, places, entries, n, alive), loss, intercept, positive, units, alive, batch,
                                          steps, descends);
}

template <class T>
void add_loss_paths_of(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    m.def("dense_loss_path", dense_loss_path<T>, plain, nb::arg(), nb::arg(), nb::arg(), plain, nb::arg(), nb::arg());
    m.def("sparse_loss_path", sparse_loss_path<T, std::uint32_t>, plain, plain, plain, nb::arg(), nb::arg(), nb::arg(), nb::arg(), plain, nb::arg(), nb::arg(), nb::arg());
    m.def("sparse_loss_path", sparse_loss_path<T, std::uint64_t>, plain, plain, plain, nb::arg(), nb::arg(), nb::arg(), nb::arg(), plain, nb::arg(), nb::arg(), nb::arg());
}

void add_loss_paths(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    nb::class_<LossTrail>(m, "LossTrail").def("to", &LossTrail::to).def("walk", &LossTrail::walk, plain, nb::arg(), nb::arg(), plain, nb::arg());
    add_loss_paths_of<double>(m);
    add_loss_paths_of<float>(m);
}

}  // namespace greedyhull
